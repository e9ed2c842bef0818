"""What one person sees and does: purchases, their orders and how an order is displayed, redeem
codes as QR.
"""
